// Why a promise of the report is not kept. Written by hand, read by people; a promise that is kept again needs no line here.

export const REASONS: Record<string, string> = {}
