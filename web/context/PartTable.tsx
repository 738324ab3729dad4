import { fullCount } from '../ui/numbers.ts'
import style from './context.module.css'
import { changeWords, colourOf, partName, type Part } from './parts.ts'

interface TableProps {
  readonly parts: readonly Part[]
  readonly chosen: string | undefined
  /** The same part again chooses none. */
  readonly choose: (part: string) => void
}

export function PartTable({ parts, chosen, choose }: TableProps) {
  return (
    <table className={style.parts}>
      <thead>
        <tr>
          <th scope="col">part</th>
          <th scope="col">
            <span className="visually-hidden">since the turn before</span>
          </th>
          <th scope="col">tokens</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => {
          const { text, tone } = changeWords(part)
          return (
            <tr key={part.id} data-chosen={chosen === part.id} onClick={() => choose(part.id)}>
              <td>
                <span className={style.name}>
                  <span className={style.swatch} style={{ background: colourOf(part.kind) }} />
                  <button
                    type="button"
                    aria-pressed={chosen === part.id}
                    disabled={part.count === 0}
                    onClick={(event) => {
                      event.stopPropagation()
                      choose(part.id)
                    }}
                  >
                    {partName(part)}
                  </button>
                </span>
              </td>
              <td data-tone={tone}>{text}</td>
              <td>{part.tokens === 0 ? '–' : fullCount(part.tokens)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
