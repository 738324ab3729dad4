import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function ContextView() {
  return (
    <Page title="Context">
      <Empty title="Not there yet" />
    </Page>
  )
}
