import { expect, test } from 'vitest';
import { Session, type SessionExport, type SliceExport, SnapshotError, ToolCallLog } from 'weakincentives';

/** A call as 0.1.0 wrote it. */
const item = {
  eventId: 'e1',
  evaluationId: 'run',
  promptName: 'examples/old',
  adapter: 'scripted model',
  sessionId: 's1',
  callId: 'call-1-1',
  toolName: 'send',
  turn: 1,
  success: false,
  outcome: 'aborted',
  reason: 'silent',
  message: 'No line.',
  rendered: '',
  modelText: 'No line.',
  attempts: 1,
  conflicts: [],
  startedAtMs: 0,
  durationMs: 1,
  changes: [],
  feedback: [{ provider: 'hints', atMs: 1, outcome: 'silent' }],
} as const;

function newSession(): Session {
  const session = new Session();
  session.install(ToolCallLog);
  return session;
}

function oldExport(items: SliceExport['items']): SessionExport {
  const empty = newSession().exportState({ includeLogs: true });
  return {
    ...empty,
    slices: [{ name: 'weakincentives.tool-invocations', version: 1, items }],
  };
}

test('records of calls that 0.1.0 exported come back under the names of today', () => {
  const session = newSession();
  const standing = ['effects outside session, files and resources'];
  const shadow = [{ policy: 'closed', outcome: 'deny', reason: 'silent' }];
  const report = session.importState(oldExport([{ ...item, standing, shadow }, item]));
  expect(report.migrated).toEqual(['weakincentives.tool-invocations']);
  expect(session.slice(ToolCallLog).all()).toEqual([
    { ...item, reason: 'idle', residualEffects: standing, unenforced: shadow },
    { ...item, reason: 'idle' },
  ]);
});

test('records of today are exported in version 2 and come back as they are', () => {
  const session = newSession();
  session.importState(oldExport([item]));
  const exported = session.exportState({ includeLogs: true });
  expect(exported.slices.map(({ name, version }) => [name, version])).toEqual([
    ['weakincentives.tool-invocations', 2],
  ]);
  const other = newSession();
  expect(other.importState(exported).migrated).toEqual([]);
  expect(other.slice(ToolCallLog).all()).toEqual(session.slice(ToolCallLog).all());
});

test.each([
  ['no record', [5]],
  ['an unknown field', [{ ...item, odd: 1 }]],
])('an old export with %s is refused', (_what, items) => {
  const session = newSession();
  expect(() => session.importState(oldExport(items))).toThrow(SnapshotError);
});
