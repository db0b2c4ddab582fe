import type { RunEvent, ToolInvokedPayload } from 'weakincentives';

/** A model asks for calls with these ids. */
export function asked(...callIds: readonly string[]): RunEvent {
  return {
    type: 'model-call-end',
    turn: 1,
    text: '',
    toolCalls: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'look', arguments: '' })),
    finishReason: 'tool-calls',
    durationMs: 5,
  };
}

export function started(callId: string, turn = 1): RunEvent {
  return { type: 'tool-call-start', turn, callId, toolName: 'look', params: { path: `${callId}.md` } };
}

/** The end of a call, committed unless told otherwise. */
export function ended(callId: string, overrides: Partial<ToolInvokedPayload> = {}): RunEvent {
  const { turn = 1, toolName = 'look' } = overrides;
  return {
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
  };
}

/** What an evaluation inside a call tells. */
export function inside(
  callId: string,
  event: RunEvent,
  options: { readonly attempt?: number; readonly evaluation?: number } = {},
): RunEvent {
  const { attempt = 1, evaluation = 1 } = options;
  return { type: 'nested-run', turn: 1, callId, toolName: 'look', attempt, evaluation, event };
}
