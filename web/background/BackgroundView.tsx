import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function BackgroundView() {
  return (
    <Page title="Background">
      <Empty title="Not there yet" />
    </Page>
  )
}
