import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function MemoryView() {
  return (
    <Page title="Memory">
      <Empty title="Not there yet" />
    </Page>
  )
}
