import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../style/base.css'
import { queries } from '../api/query.ts'
import { App } from './App.tsx'
import { viewAt, views } from './routes.tsx'

void (viewAt(location.pathname) ?? views[0])?.component.load()

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
