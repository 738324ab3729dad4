import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function RiverView() {
  return (
    <Page title="River">
      <Empty title="Not there yet" />
    </Page>
  )
}
