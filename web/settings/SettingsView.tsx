import { Page } from '../app/Page.tsx'
import { Empty } from '../ui/surface.tsx'

export default function SettingsView() {
  return (
    <Page title="Settings">
      <Empty title="Not there yet" />
    </Page>
  )
}
