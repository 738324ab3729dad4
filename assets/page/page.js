/** Signs in with the code in the address, and shows who is signed in. Text is set as text, never as HTML. */
const sections = ['waiting', 'signed-out', 'signed-in']
const part = (id) => document.getElementById(id)

function show(id, problem = '') {
  for (const one of sections) part(one).hidden = one !== id
  part('problem').textContent = problem
  part('problem').hidden = problem === ''
}

async function call(method, path, body) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path, { method, ...json })
  const answer = await response.json().catch(() => ({}))
  return { status: response.status, answer, problem: response.ok ? '' : (answer.error?.message ?? '') }
}

/** `Firefox on Linux`, as far as the browser says. */
function browserName(text) {
  const program = /Edg|OPR|Firefox|Chrome|Safari/.exec(text)?.[0] ?? 'A browser'
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(text)?.[0]
  const name = { Edg: 'Edge', OPR: 'Opera' }[program] ?? program
  return system === undefined ? name : `${name} on ${system}`
}

function sessionRow({ id, browser, signedInAt, isThis }) {
  const row = document.createElement('li')
  const name = document.createElement('span')
  const since = document.createElement('small')
  since.textContent = `since ${new Date(signedInAt).toLocaleString()}`
  name.append(isThis ? `${browserName(browser)} (this one)` : browserName(browser), since)
  row.append(name)
  if (!isThis) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Sign out'
    button.addEventListener('click', () => call('DELETE', `/api/sessions/${id}`).then(refresh))
    row.append(button)
  }
  return row
}

async function refresh(problem = '') {
  const { status, answer } = await call('GET', '/api/sessions')
  if (status !== 200) return show('signed-out', problem)
  part('sessions').replaceChildren(...answer.sessions.map(sessionRow))
  return show('signed-in')
}

async function start() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  // First: neither the history nor a bookmark keeps the code.
  history.replaceState(null, '', '/')
  const tried = code === null ? undefined : await call('POST', '/api/sign-in', { code })
  await refresh(tried?.problem)
}

part('sign-out').addEventListener('click', () => call('POST', '/api/sign-out').then(() => refresh()))
addEventListener('hashchange', () => location.reload())
start().catch(() => show('signed-out', 'Mainstem does not answer. Is it running?'))
