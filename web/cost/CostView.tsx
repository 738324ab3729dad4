import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function CostView() {
  return (
    <Page title="Cost">
      <Empty title="Not there yet" />
    </Page>
  )
}
