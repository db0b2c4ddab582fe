import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WinkError } from 'weakincentives';
import { draws } from '../support/draws.ts';
import { type Node, type Program, possibleFailures, program } from './resource/graph.ts';
import { type Instance, type Outcome, runProgram, type Trace } from './resource/run-program.ts';

describe('any graph of resources', () => {
  it('builds each singleton once, fails as its graph says, and disposes in reverse', async () => {
    await fc.assert(
      fc.asyncProperty(program(false), async (drawn) => {
        const trace = await runProgram(drawn);
        for (const outcome of trace.outcomes) expectPossible(drawn.nodes, outcome, true);
        for (const outcome of trace.repeated) expectPossible(drawn.nodes, outcome, false);
        checkAlways(drawn, trace);
      }),
      { numRuns: draws(700) },
    );
  });

  it('leaks nothing and serves nothing after the end, whenever calls, run and session end', async () => {
    await fc.assert(
      fc.asyncProperty(program(true), async (drawn) => {
        const trace = await runProgram(drawn);
        for (const outcome of trace.repeated) expectEnded(drawn, outcome);
        checkAlways(drawn, trace);
      }),
      { numRuns: draws(700) },
    );
  });
});

function checkAlways(drawn: Program, trace: Trace): void {
  checkPaths(drawn.nodes, trace);
  checkOneEach(drawn.nodes, trace);
  checkDisposal(drawn.nodes, trace);
  checkReports(trace);
  if (trace.startError !== undefined) checkUndoneStart(drawn.nodes, trace);
}

/** A look-up succeeds exactly when nothing on its way fails, and else fails with something on its way. */
function expectPossible(nodes: readonly Node[], { node, call, result }: Outcome, flaky: boolean): void {
  const inCall = call !== undefined;
  const codes = possibleFailures(nodes, node, { inCall, flaky });
  if ('value' in result) expect(possibleFailures(nodes, node, { inCall, flaky: false })).toEqual(new Set());
  else expect(codes).toContain(codeOf(result.error));
}

/** What is asked for after an end is refused for that reason. */
function expectEnded({ callEnds, sessionEnds }: Program, { call, result }: Outcome): void {
  const isCallOver = call !== undefined && callEnds[call] !== undefined;
  if (!isCallOver && sessionEnds === undefined) return;
  if ('value' in result) throw new Error('Something was served after its end.');
  expect(codeOf(result.error)).toBe(isCallOver ? 'transaction-closed' : 'resource-disposed');
}

/** Every path in an error is made of look-ups that factories really make; that of a circle closes. */
function checkPaths(nodes: readonly Node[], { outcomes, repeated }: Trace): void {
  for (const { result } of [...outcomes, ...repeated]) {
    if ('value' in result || !WinkError.isInstance(result.error)) continue;
    const { code, details } = result.error;
    const path = details['path'];
    if (!Array.isArray(path)) {
      expect(code).not.toBe('resource-cyclic');
      continue;
    }
    const way = path.map((name) => Number(String(name).slice(1)));
    for (const [step, from] of way.slice(0, -1).entries())
      expect(nodes[from]?.needs).toContain(way[step + 1]);
    if (code !== 'resource-cyclic') continue;
    expect(way.length).toBeGreaterThan(1);
    expect(way[0]).toBe(way.at(-1));
    expect(new Set(way).size).toBe(way.length - 1);
  }
}

/** Whoever gets an instance of a singleton, or within one call of a tool-call resource, gets the same one. */
function checkOneEach(nodes: readonly Node[], { instances, startError, startEndedAt }: Trace): void {
  const seen = new Set<string>();
  for (const { node, lifetime, handedAt } of instances) {
    if (nodes[node]?.scope === 'prototype' || handedAt === undefined) continue;
    // A start that failed has disposed what it built; those who ask later get another.
    const era = startError !== undefined && handedAt <= startEndedAt ? 'start' : lifetime;
    expect(seen).not.toContain(`${node} ${era}`);
    seen.add(`${node} ${era}`);
  }
}

/** Each instance is disposed once, after those that were built later. */
function checkDisposal(nodes: readonly Node[], { instances, teardowns }: Trace): void {
  const kept: Instance[] = [];
  for (const instance of instances) {
    const isPrototype = nodes[instance.node]?.scope === 'prototype';
    // A prototype that somebody got is theirs to dispose.
    expect(instance.disposedAt).toHaveLength(isPrototype && instance.handedAt !== undefined ? 0 : 1);
    if (isPrototype || instance.handedAt === undefined) continue;
    // What is handed out in the very moment of the end may have been given up before it was complete.
    if (instance.handedAt < (teardowns.get(instance.lifetime) ?? 0)) kept.push(instance);
  }
  for (const earlier of kept) {
    for (const later of kept) {
      if (earlier.lifetime !== later.lifetime || (earlier.builtAt ?? 0) >= (later.builtAt ?? 0)) continue;
      // What the start built and disposed has gone before.
      if ((earlier.disposedAt[0] ?? 0) < (later.builtAt ?? 0)) continue;
      expect(later.disposedAt[0]).toBeLessThan(earlier.disposedAt[0] ?? 0);
    }
  }
}

/** Whatever a disposer threw has reached somebody. */
function checkReports({ disposeErrors, reported }: Trace): void {
  const heard = new Set<unknown>();
  const hear = (thrown: unknown): void => {
    if (thrown === undefined || heard.has(thrown)) return;
    heard.add(thrown);
    if (thrown instanceof Error) hear(thrown.cause);
    if (thrown instanceof AggregateError) for (const error of thrown.errors) hear(error);
  };
  for (const thrown of reported) hear(thrown);
  for (const error of disposeErrors) expect(heard).toContain(error);
}

/** A start that failed leaves no singleton behind. */
function checkUndoneStart(nodes: readonly Node[], { instances, startEndedAt }: Trace): void {
  for (const { node, builtAt, disposedAt } of instances) {
    if (nodes[node]?.scope === 'prototype' || builtAt === undefined || builtAt > startEndedAt) continue;
    expect(disposedAt[0]).toBeLessThan(startEndedAt);
  }
}

function codeOf(error: unknown): string {
  return WinkError.isInstance(error) ? error.code : String(error);
}
