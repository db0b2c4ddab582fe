import { isRecord, present } from '../../../core/internal/index.ts';
import type { HostedToolOutput } from '../../../core/tool/index.ts';
import { type HostedTurn, objectsIn, type WireFields } from '../../kit/index.ts';

/** One invocation by the provider, with its input and result. */
export interface ServerCall {
  readonly id: string | undefined;
  /** The provider's name of the tool; undefined when the call is in an earlier turn. */
  readonly name: string | undefined;
  readonly input: WireFields;
  /** Undefined when the message ends before the result. */
  readonly result: WireFields | undefined;
}

/** The blocks of a tool. */
export interface ServerCallShape {
  /** The type of the block of a call. */
  readonly use: 'server_tool_use' | 'mcp_tool_use';
  /** Whether the block of a call belongs to the tool. */
  isAbout(use: WireFields): boolean;
  /** Types of the blocks with results of the tool, regardless of the caller. */
  readonly results: readonly string[];
}

/**
 * The calls that the provider ran in one turn, in the order of the requests. A call left open by a paused turn gets its
 * result in the next turn, which then contains only the result.
 */
export function serverCallsOf({ items }: HostedTurn, shape: ServerCallShape): readonly ServerCall[] {
  const blocks = objectsIn(items);
  const results = new Map(
    blocks
      .filter(({ tool_use_id: id }) => typeof id === 'string')
      .map((block) => [block['tool_use_id'], block]),
  );
  const asked = new Set(blocks.filter(({ type }) => type === shape.use).map(({ id }) => id));
  return blocks.flatMap((block): readonly ServerCall[] => {
    const { type, id, name, input, tool_use_id: askedAs } = block;
    if (type === shape.use && shape.isAbout(block)) {
      return [
        { id: textOf(id), name: textOf(name), input: isRecord(input) ? input : {}, result: results.get(id) },
      ];
    }
    const isLate = shape.results.some((known) => known === type) && !asked.has(askedAs);
    return isLate ? [{ id: textOf(askedAs), name: undefined, input: {}, result: block }] : [];
  });
}

/** The outcome of a call, from its result: a result whose type names an error contains its code. */
export function outcomeOf({ id, result }: ServerCall): HostedToolOutput {
  const named = id === undefined ? {} : { invocationId: id };
  if (result === undefined) return { status: 'incomplete', ...named };
  const { content, is_error: isError } = result;
  const { type, error_code: errorCode } = isRecord(content) ? content : {};
  if (isError !== true && !(typeof type === 'string' && type.endsWith('_error'))) {
    return { status: 'completed', ...named };
  }
  return {
    status: 'failed',
    ...present({ errorCode: typeof errorCode === 'string' ? errorCode : undefined }),
    ...named,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
