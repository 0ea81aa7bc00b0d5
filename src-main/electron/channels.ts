/** The only two channels between our windows and us. */
export const CALL = 'countersign:call'
export const EVENT = 'countersign:event'
