import style from './app.module.css'

export function Brand() {
  return (
    <div className={style.brand}>
      <svg width="18" height="18" viewBox="0 0 18 18" fill="none" strokeLinecap="round" aria-hidden="true">
        <path d="M1 12C5 12 6 9 9 9s4 3 8 3" stroke="var(--stem)" strokeWidth="3" />
        <path d="M6 10C8 6 10 4 14 4" stroke="var(--stem)" strokeWidth="1.6" opacity=".6" />
      </svg>
      Mainstem
    </div>
  )
}
