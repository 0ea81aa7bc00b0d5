/** The only channels between our windows and us. */
export const CALL = 'countersign:call'
export const EVENT = 'countersign:event'
/** From the prompt window alone. */
export const FIT = 'countersign:fit'
