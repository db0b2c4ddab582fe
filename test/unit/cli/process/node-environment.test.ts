import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import {
  type HostProcess,
  type HostStream,
  nodeEnvironment,
} from '../../../../src/cli/process/node-environment.ts';

interface FakeStream extends HostStream {
  readonly written: string[];
  readonly fail: () => void;
}

function fakeStream(facts: Pick<HostStream, 'isTTY' | 'columns'> = {}): FakeStream {
  const events = new EventEmitter();
  const written: string[] = [];
  return {
    ...facts,
    written,
    write: (text) => written.push(text),
    on: (event, listener) => events.on(event, listener),
    fail: () => events.emit('error', new Error('EPIPE')),
  };
}

function fakeProcess(
  stdout: FakeStream = fakeStream(),
  more: Partial<HostProcess> = {},
): HostProcess & { readonly raise: (signal: string, about?: unknown) => void } {
  const events = new EventEmitter();
  return {
    stdout,
    stderr: fakeStream(),
    stdin: new PassThrough(),
    env: { TERM: 'x' },
    once: (signal, listener) => events.once(signal, listener),
    onOtherOutput: () => () => undefined,
    withOutput: (start) => start(),
    onStray: (listener) => events.on('stray', listener),
    raise: (signal, about) => events.emit(signal, about),
    ...more,
  };
}

const processFacts = { version: '1.2.3', packageFolder: new URL('file:///package/') };

describe('nodeEnvironment', () => {
  it.each([
    ['SIGINT', 'interrupted', 130],
    ['SIGTERM', 'terminated', 143],
  ])('turns %s into an interruption', (signal, kind, exitCode) => {
    const host = fakeProcess();
    const environment = nodeEnvironment(host, processFacts);
    expect(environment.signal.aborted).toBe(false);
    host.raise(signal);
    expect(environment.signal.reason).toBeInstanceOf(CliInterruption);
    expect(environment.signal.reason).toMatchObject({ kind, exitCode });
  });

  it('asks only where a person both reads and types', () => {
    const typing = Object.assign(new PassThrough(), { isTTY: true });
    const reading = fakeStream({ isTTY: true });
    const hosts = [{}, { stdin: typing }, { stderr: reading }, { stdin: typing, stderr: reading }];
    const canAsk = hosts.map(
      (more) => nodeEnvironment(fakeProcess(reading, more), processFacts).ask !== undefined,
    );
    expect(canAsk).toEqual([false, false, false, true]);
  });

  it('stops when the reader is gone, and writes no more', () => {
    const stdout = fakeStream();
    const environment = nodeEnvironment(fakeProcess(stdout), processFacts);
    environment.stdout.write('one');
    stdout.fail();
    environment.stdout.write('two');
    expect(stdout.written).toEqual(['one']);
    expect(environment.signal.reason).toMatchObject({ kind: 'output-closed', exitCode: 0 });
  });

  it.each([
    [{}, false, undefined],
    [{ isTTY: true, columns: 90 }, true, 90],
    [{ isTTY: true, columns: 0 }, true, undefined],
  ])('takes %j as terminal: %s, width %s', (facts, isTerminal, columns) => {
    const { stdout } = nodeEnvironment(fakeProcess(fakeStream(facts)), processFacts);
    expect([stdout.isTerminal, stdout.columns]).toEqual([isTerminal, columns]);
  });

  it('has the version that it was given', () => {
    expect(nodeEnvironment(fakeProcess(), processFacts).version).toBe('1.2.3');
  });
});
