// Errors of the library. Subclasses and codes are generated from the status table (tables.gen.ts).
import type { ErrorCode } from './tables.gen.js';

/** What an error is about. */
export interface ErrorDetails {
  op?: string;
  argument?: string;
  expected?: string;
  got?: string;
  cause?: unknown;
}

/** Base of every error that the library throws. */
export class StriaError extends Error {
  override name = 'StriaError';
  /** Status, e.g. 'ERR_SHAPE'. */
  readonly code: ErrorCode;
  /** Operation, e.g. 'add'. */
  readonly op: string;
  /** Argument at fault, or ''. */
  readonly argument: string;
  /** The two sides of the disagreement, or ''. */
  readonly expected: string;
  readonly got: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.op = details.op ?? '';
    this.argument = details.argument ?? '';
    this.expected = details.expected ?? '';
    this.got = details.got ?? '';
  }
}
