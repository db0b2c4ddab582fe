import { present } from '../../core/internal/index.ts';
import type { TraceContext } from '../../core/runtime/index.ts';
import type { OtelSpan, OtelSpanContext, OtelTraceState } from './otel-api.ts';

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const memberForm = /^([a-z0-9][a-z0-9_\-*/@]{0,255})=([\u0020-\u002b\u002d-\u003c\u003e-\u007e]{1,256})$/;
/** What the W3C demands of everyone to pass on. */
const maxStateCharacters = 512;
const maxStateMembers = 32;

/** The span of another program, as a parent of spans here; undefined for one that is not written as the W3C defines it. */
export function remoteSpanOf({ traceparent, tracestate }: TraceContext): OtelSpan | undefined {
  // From outside, past the types.
  const parts = typeof traceparent === 'string' ? form.exec(traceparent) : null;
  if (parts === null) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = parts;
  // Later versions may add fields, but not take any away.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const state = typeof tracestate === 'string' ? membersOf(tracestate) : [];
  const context: OtelSpanContext = {
    traceId,
    spanId,
    // Of the flags only "sampled" has a meaning in every version.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...present({ traceState: state.length === 0 ? undefined : new RemoteState(state) }),
  };
  const nothing = (): void => undefined;
  return {
    spanContext: () => context,
    isRecording: () => false,
    setAttributes: nothing,
    addEvent: nothing,
    setStatus: nothing,
    updateName: nothing,
    end: nothing,
  };
}

type Member = readonly [key: string, value: string];

/** Members of the list; those that are written wrongly are left out, and a list that is too long is as good as none. */
function membersOf(tracestate: string): readonly Member[] {
  if (tracestate.length > maxStateCharacters) return [];
  const members = tracestate.split(',').flatMap((member): Member[] => {
    const [, key, value] = memberForm.exec(member.trim()) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value]];
  });
  return members.length > maxStateMembers ? [] : members;
}

/** The state of a trace; immutable, the member that was set last first. */
class RemoteState implements OtelTraceState {
  readonly #members: readonly Member[];

  constructor(members: readonly Member[]) {
    this.#members = members;
  }

  get(key: string): string | undefined {
    return this.#members.find(([own]) => own === key)?.[1];
  }

  set(key: string, value: string): OtelTraceState {
    return new RemoteState([[key, value], ...this.#without(key)]);
  }

  unset(key: string): OtelTraceState {
    return new RemoteState(this.#without(key));
  }

  serialize(): string {
    return this.#members.map(([key, value]) => `${key}=${value}`).join(',');
  }

  #without(key: string): readonly Member[] {
    return this.#members.filter(([own]) => own !== key);
  }
}
