import { expect, it } from 'vitest';
import { type BubblewrapSandboxOptions, SandboxError } from 'weakincentives/sandbox';
import { checkCommand } from '../../../../../src/host/sandbox/backend/command.ts';
import { bubblewrapLine } from '../../../../../src/host/sandbox/bubblewrap/command-line.ts';
import { resolveOptions } from '../../../../../src/host/sandbox/bubblewrap/options.ts';

it.each<[unknown, string]>([
  [{ network: 'some' }, 'network'],
  [{ readOnlyPaths: ['relative'] }, 'readOnlyPaths[0]'],
  [{ readOnlyPaths: ['/opt', '/opt/../etc'] }, 'readOnlyPaths[1]'],
  [{ readOnlyPaths: ['/proc'] }, 'readOnlyPaths[0]'],
  [{ limits: { maxCpus: 1 } }, 'maxCpus'],
  [{ limits: { maxMemoryBytes: 0.5 } }, 'maxMemoryBytes'],
  [{ limits: { maxMemory: 1 } }, 'There is no limit "maxMemory"'],
  [{ limits: [] }, 'limits must be an object'],
  [{ env: 'A=b' }, 'env must be an object'],
])('refuses %j', (options, problem) => {
  // As untyped code may write it.
  const given = options as BubblewrapSandboxOptions;
  const error: unknown = (() => {
    try {
      return resolveOptions(given, false);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(SandboxError.isInstance(error) && error.code).toBe('sandbox-option-invalid');
  expect(error).toHaveProperty('message', expect.stringContaining(problem));
});

it('limits processes unless it runs as root, and says why it does not', () => {
  expect(resolveOptions({}, false).limits.maxProcesses).toBe(256);
  expect(resolveOptions({}, true).limits.maxProcesses).toBeUndefined();
  expect(() => resolveOptions({ limits: { maxProcesses: 9 } }, true)).toThrow('runs as root');
});

it('puts no value of a variable on the command line, where others could read it', () => {
  const settings = resolveOptions({ env: { TOKEN: "it's a secret" } }, false);
  const command = checkCommand('bubblewrap', { command: 'true', env: { OTHER: 'another secret' } });
  const { args, inputs } = bubblewrapLine(settings, command);
  expect(args.join(' ')).not.toContain('secret');
  expect(inputs.at(-1)).toBe("export TOKEN='it'\\''s a secret'\nexport OTHER='another secret'\n");
});
