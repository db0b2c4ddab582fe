/** The rows of runs that are made up, as they are in a record. */
type Row = Readonly<Record<string, unknown>>;

/** A header, as the first line of a record. */
export function headerRow(more: Row = {}): Row {
  return {
    type: 'header',
    version: 'wink-run/1',
    runId: 'run-1',
    sessionId: 'session-1',
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4),
    reads: 'content',
    redacted: false,
    evaluationId: 'evaluation-1',
    promptName: 'made-up',
    prompt: { namespace: 'test', key: 'made-up', hash: 'hash' },
    adapter: 'scripted',
    model: 'scripted-1',
    settings: {},
    tools: [{ name: 'note', effects: 'state' }],
    toolsHash: 'tools',
    policies: ['first', 'second'],
    ...more,
  };
}

export function responseRow(turn: number, t: number, text: string): Row {
  return {
    type: 'response',
    t,
    turn,
    durationMs: 100,
    content: [{ type: 'text', text }],
    finishReason: 'tool-calls',
    usage: { inputTokens: 100 + turn, outputTokens: 10 },
  };
}

/** A committed call that takes 10 ms. */
export function commitRow(seq: number, turn: number, t: number, more: Row = {}, result: Row = {}): Row {
  return {
    type: 'commit',
    t: t + 10,
    turn,
    callId: `call-${seq}`,
    toolName: 'note',
    attempt: 1,
    effects: 'state',
    params: { path: `notes/${seq}.md` },
    phases: { requestedAtMs: t, startedAtMs: t, endedAtMs: t + 8, settledAtMs: t + 10, approvals: [] },
    base: seq - 1,
    reads: [],
    policies: [],
    writes: [],
    log: [],
    events: [],
    files: [],
    seq,
    ...more,
    result: {
      outcome: 'committed',
      message: `Noted ${seq}.`,
      rendered: '',
      modelText: `Noted ${seq}.`,
      conflicts: [],
      durationMs: 10,
      ...result,
    },
  };
}

export function endRow(turns: number, t: number): Row {
  return { type: 'end', t, outcome: 'finished', turns, usage: { inputTokens: 1000, outputTokens: 100 } };
}

export function record(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** A run of many calls, 10 in each turn; each tenth changes a slice. */
export function manyCalls(calls: number): string {
  const rows: Row[] = [
    headerRow(),
    { type: 'slice', t: 0, name: 'notes', policy: 'state', isKeyed: false, version: 1 },
  ];
  let t = 0;
  for (let seq = 1; seq <= calls; seq += 1) {
    const turn = Math.ceil(seq / 10);
    if (seq % 10 === 1) {
      rows.push(responseRow(turn, t + 100, `This is what turn ${turn} says.`));
      t += 100;
    }
    const writes = seq % 10 === 0 ? [{ slice: 'notes', op: 'append', items: [{ id: seq, text: 'n' }] }] : [];
    rows.push(commitRow(seq, turn, t, { writes }));
    t += 10;
  }
  return record([...rows, endRow(Math.ceil(calls / 10), t)]);
}
