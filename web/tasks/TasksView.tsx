import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function TasksView() {
  return (
    <Page title="Tasks">
      <Empty title="Not there yet" />
    </Page>
  )
}
