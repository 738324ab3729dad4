/** What the Bot API answers instead of a result. */
export class BotError extends Error {
  readonly code: number
  readonly parameters: { readonly retry_after?: number; readonly migrate_to_chat_id?: number }
  constructor(code: number, description: string, parameters: BotError['parameters'] = {}) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}
