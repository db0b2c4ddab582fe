import { describeError, ModelResponseError, ThrottleError } from '../../../core/error/index.ts';
import { isRecord } from '../../../core/internal/index.ts';
import {
  failureReason,
  toResponseError as toAnyFailure,
  toProviderError as toAnyProviderError,
  vendorErrorCodes,
  type WireFields,
} from '../../kit/index.ts';

/** Converts the error of a failed request. */
export function toProviderError(error: unknown): unknown {
  const failure = toAnyProviderError(error, vendorErrorCodes);
  if (!ThrottleError.isInstance(failure) || !isEventError(error) || isKnown(error)) return failure;
  return new ModelResponseError('model-response-failed', describeError(error), { cause: error });
}

/** Converts an error event of a stream: its fields are in the event, or in its `error`. */
export function toEventFailure(event: WireFields): ThrottleError | ModelResponseError {
  const error = isRecord(event['error']) ? event['error'] : event;
  return toFailure(codeIn(error), failureReason(event) ?? describeError(error));
}

/**
 * The vendor's client throws such an event as an error without a status, like a lost connection, but with the fields of the
 * event.
 */
function isEventError(error: unknown): error is WireFields {
  return isRecord(error) && error['status'] === undefined && isRecord(error['error']);
}

function isKnown({ code, type }: WireFields): boolean {
  return [code, type].some(
    (value) => typeof value === 'string' && Object.hasOwn(vendorErrorCodes.codes, value),
  );
}

function codeIn({ code, type }: WireFields): string | undefined {
  const word = [code, type].find((it) => typeof it === 'string' && it !== '' && it !== 'error');
  return typeof word === 'string' ? word : undefined;
}

/** Converts the error of a response with the status `failed`. */
export function toFailure(code: string | undefined, message: string): ThrottleError | ModelResponseError {
  return toAnyFailure(code, message, vendorErrorCodes);
}
