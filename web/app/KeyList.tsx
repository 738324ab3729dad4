import { Dialog } from '../ui/Dialog.tsx'
import style from './app.module.css'
import { keyList } from './keys.ts'
import { hide } from './overlay.ts'

export function KeyList() {
  return (
    <Dialog title="Keys" onClose={hide}>
      <dl className={style.keys}>
        {keyList.map(([help, ...keys]) => (
          <div key={help}>
            <dt>{help}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
