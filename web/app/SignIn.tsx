import { Problem } from '../ui/surface.tsx'
import style from './app.module.css'
import { Brand } from './Brand.tsx'

export function SignIn({ problem }: { problem: string | undefined }) {
  return (
    <main className={style.signIn}>
      <Brand />
      <h1>Sign in</h1>
      {problem !== undefined && <Problem error={problem} retry={() => location.reload()} />}
      <p>On the machine where Mainstem runs, type this and open the link that it prints:</p>
      <pre>mainstem open</pre>
      <p className={style.dim}>A link works once, for ten minutes.</p>
    </main>
  )
}
