import type { promptTextView, TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { changeWords, partName, type ChangeWords, type Kind, type Part } from './part.ts'

export type TextPiece = ReturnType<typeof promptTextView>['pieces'][number]

/** A row of the pane: a heading, a line, or how much is left out. */
export type Row =
  | { readonly row: 'part'; readonly name: string; readonly kind: Kind; readonly change?: ChangeWords }
  | {
      readonly row: 'line'
      readonly op: 'same' | 'added' | 'gone' | 'moved'
      readonly text: string
      /** Who says it, on the first line of a piece. */
      readonly label?: string | undefined
      readonly kind?: Kind
    }
  | { readonly row: 'skip'; readonly text: string }

/** Longer lines are several rows, so that no row is too tall to draw. */
const LINE_MAX = 1_500

export function differenceRows({ parts, settings }: Pick<TurnContextView, 'parts' | 'settings'>): Row[] {
  const changed = parts.filter(({ difference }) => difference !== null && difference.state !== 'same')
  return [
    ...changed.flatMap((part): Row[] => [
      { row: 'part', name: partName(part), kind: part.kind, change: changeWords(part) },
      ...(part.difference?.lines ?? []).flatMap(({ op, text, label }): Row[] =>
        op === 'skip'
          ? [{ row: 'skip', text }]
          : // A recalled piece begins with who said it.
            cut({ row: 'line', op, text, label: part.kind === 'recall' ? undefined : label }),
      ),
    ]),
    ...(settings.length === 0 ? [] : [{ row: 'part', name: 'settings', kind: 'system' } as const]),
    ...settings.flatMap(({ name, before, after }): Row[] => [
      { row: 'line', op: 'gone', text: `${name}: ${JSON.stringify(before)}` },
      { row: 'line', op: 'added', text: `${name}: ${JSON.stringify(after)}` },
    ]),
  ]
}

/** The pieces of a prompt in order; each part begins with its name. */
export function wholeRows(pieces: readonly TextPiece[], parts: readonly Part[]): Row[] {
  const names = new Map(parts.map((part) => [part.id, partName(part)]))
  return pieces.flatMap(({ part, kind, label, text }, index): Row[] => {
    const isFirst = pieces[index - 1]?.part !== part
    const isNamed = names.get(part) === label
    return [
      ...(isFirst ? [{ row: 'part', name: names.get(part) ?? kind, kind } as const] : []),
      ...text.split('\n').flatMap((line, at) =>
        cut({
          row: 'line',
          op: 'same',
          text: line,
          label: at === 0 && !isNamed ? label : undefined,
          kind,
        }),
      ),
    ]
  })
}

/** The words of the model right now. */
export function saidRows(text: string): Row[] {
  const lines = text.split('\n')
  return [
    { row: 'part', name: 'being said', kind: 'messages' },
    ...lines.map((line, at): Row => ({
      row: 'line',
      op: 'added',
      text: line,
      label: at === 0 ? 'assistant' : undefined,
    })),
  ]
}

export function rawRows(text: string): Row[] {
  return cut({ row: 'line', op: 'same', text })
}

function cut(line: Extract<Row, { row: 'line' }>): Row[] {
  if (line.text.length <= LINE_MAX) return [line]
  const rows: Row[] = []
  for (let at = 0; at < line.text.length; at += LINE_MAX)
    rows.push({
      ...line,
      text: line.text.slice(at, at + LINE_MAX),
      label: at === 0 ? line.label : undefined,
    })
  return rows
}
