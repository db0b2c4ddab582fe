import { isRecord, present } from '../../../core/internal/index.ts';
import type { Citation, HostedToolOutput } from '../../../core/tool/index.ts';
import {
  annotatedCitations,
  type Cited,
  type HostedTurn,
  objectsIn,
  type WireFields,
} from '../../kit/index.ts';

/** The items of one type, in their order. */
export function itemsOf({ items }: HostedTurn, type: string): readonly WireFields[] {
  return objectsIn(items).filter((item) => item['type'] === type);
}

/** The common fields of every call of a hosted tool. */
export function toOutput({ id, status, error }: WireFields): HostedToolOutput {
  return {
    status: toStatus(status, error),
    ...toErrorCode(error),
    ...present({ invocationId: typeof id === 'string' ? id : undefined }),
  };
}

function toStatus(status: unknown, error: unknown): HostedToolOutput['status'] {
  if (error !== undefined && error !== null) return 'failed';
  switch (status) {
    case 'completed':
    case undefined:
    case null:
      return 'completed';
    case 'failed':
    case 'cancelled':
      return 'failed';
    default:
      // An intermediate status, such as `searching`: the call did not complete.
      return 'incomplete';
  }
}

function toErrorCode(error: unknown): Pick<HostedToolOutput, 'errorCode'> {
  if (!isRecord(error)) return {};
  const errorCode = [error['code'], error['type']].find((word) => typeof word === 'string' && word !== '');
  return typeof errorCode === 'string' ? { errorCode } : {};
}

/**
 * Citations of all text parts of a turn's messages.
 *
 * @param read returns what an annotation cites; undefined for an annotation of another kind.
 */
export function citationsOf(
  turn: HostedTurn,
  read: (annotation: WireFields) => Cited | undefined,
): readonly Citation[] {
  return itemsOf(turn, 'message')
    .flatMap(({ content }) => objectsIn(content))
    .flatMap((part) => annotatedCitations(turn, part, part['annotations'], read));
}
