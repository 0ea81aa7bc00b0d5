// The host of an installation whose bridge is testing/bridge.ts.

// oxlint-disable-next-line import/no-unassigned-import -- The host serves as soon as it is loaded.
import './host.ts'
