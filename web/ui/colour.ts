let probe: HTMLElement | undefined

/** The colour of a token as the theme has it now, for a canvas. */
export function colourOf(token: `--${string}`): string {
  if (probe === undefined) {
    probe = document.createElement('span')
    probe.hidden = true
    document.body.append(probe)
  }
  probe.style.color = `var(${token})`
  return getComputedStyle(probe).color
}
