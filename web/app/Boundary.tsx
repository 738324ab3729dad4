import { Component, type ReactNode } from 'react'
import { Empty } from '../ui/surface.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from './Page.tsx'

interface Props {
  /** Another place is a new try. */
  readonly at: string
  readonly children: ReactNode
}

/** A bug in one view does not take the others with it. */
export class Boundary extends Component<Props, { readonly error: Error | undefined }> {
  override state = { error: undefined as Error | undefined }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override componentDidUpdate(before: Props): void {
    if (before.at !== this.props.at && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Page title="A bug">
        <Empty title="This view has a bug">
          <p>{error.message}</p>
          <p>Nothing is lost: the view only shows what is in the log.</p>
          <Button look="main" onClick={() => location.reload()}>
            Load the page again
          </Button>
        </Empty>
      </Page>
    )
  }
}
