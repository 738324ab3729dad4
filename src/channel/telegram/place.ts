import type { Chat } from 'grammy/types'

/** A chat, or a topic of a chat: each is a conversation of its own. */
export interface Place {
  readonly chat_id: number
  readonly message_thread_id?: number
}

/** `-1001234`, or `-1001234/7` for a topic. */
export function conversationOf(message: {
  readonly chat: Pick<Chat, 'id'>
  readonly message_thread_id?: number | undefined
  readonly is_topic_message?: boolean | undefined
}): string {
  // In ordinary groups, replies have a thread id too: only a topic is a conversation of its own.
  const { chat, message_thread_id: thread, is_topic_message: isTopic } = message
  return isTopic === true && thread !== undefined ? `${chat.id}/${thread}` : `${chat.id}`
}

export function placeOf(conversation: string): Place {
  const [chat = '', thread] = conversation.split('/')
  return {
    chat_id: Number(chat),
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
  }
}

/** Groups take about 20 messages a minute. */
export const GROUP_PACE_MS = 3_000

/** Ids of groups are negative, those of people positive. */
export function isGroup(conversation: string): boolean {
  return conversation.startsWith('-')
}
