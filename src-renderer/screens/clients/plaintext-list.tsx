import { useHostData } from '../../link/use-host.ts'
import { Untrusted } from '../../ui/untrusted.tsx'
import css from './found-clients.module.css'

const CHANGES = ['changed'] as const

/** Credentials that stand in the clients' files for every program to read: where, and never what. */
export function PlaintextList() {
  const found = useHostData('registrations.scan', {}, CHANGES).data ?? []
  if (found.length === 0) return null
  return (
    <details className={css.plaintext}>
      <summary>
        {found.length === 1 ? 'One credential stands' : `${found.length} credentials stand`} in plain text in the files of these clients
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col">Server</th>
            <th scope="col">Variable</th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ clientName, path, server, variable, where }, index) => (
            <tr key={`${path} ${server} ${variable} ${index}`}>
              <td title={path}>{clientName}</td>
              <td>
                <Untrusted text={server} />
              </td>
              <td>
                <code>
                  <Untrusted text={variable} />
                </code>
              </td>
              <td>{where}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
