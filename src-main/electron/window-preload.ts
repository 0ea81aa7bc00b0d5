import { expose } from './expose.ts'

expose(null)
