import type { RunEvent, ToolInvokedPayload } from 'weakincentives';
import { here } from '../../../../support/event-places.ts';

/** A model asks for calls with these ids. */
export function asked(...callIds: readonly string[]): RunEvent {
  return here({
    type: 'model-call-end',
    turn: 1,
    text: '',
    toolCalls: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'look', arguments: '' })),
    finishReason: 'tool-calls',
    durationMs: 5,
  });
}

export function started(callId: string, turn = 1): RunEvent {
  return here({ type: 'tool-call-start', turn, callId, toolName: 'look', params: { path: `${callId}.md` } });
}

/** The end of a call, committed unless told otherwise. */
export function ended(callId: string, overrides: Partial<ToolInvokedPayload> = {}): RunEvent {
  const { turn = 1, toolName = 'look' } = overrides;
  return here({
    type: 'tool-call-end',
    turn,
    callId,
    toolName,
    invocation: {
      eventId: `event-of-${callId}`,
      evaluationId: 'evaluation',
      promptName: 'review',
      adapter: 'scripted model',
      sessionId: 'session',
      callId,
      toolName: 'look',
      turn: 1,
      params: { path: `${callId}.md` },
      success: true,
      outcome: 'committed',
      message: 'Seen.',
      rendered: '',
      modelText: 'Seen.',
      attempts: 1,
      conflicts: [],
      startedAtMs: 0,
      durationMs: 3,
      changes: [],
      ...overrides,
    },
  });
}

/** An event of an evaluation inside a call of the evaluation that it is of now. */
export function inside(
  callId: string,
  event: RunEvent,
  options: { readonly attempt?: number; readonly evaluation?: number } = {},
): RunEvent {
  const { attempt = 1, evaluation = 1 } = options;
  return { ...event, path: [{ turn: 1, callId, toolName: 'look', attempt, evaluation }, ...event.path] };
}
