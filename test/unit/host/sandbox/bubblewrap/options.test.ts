import { expect, it } from 'vitest';
import { type BubblewrapSandboxOptions, SandboxError } from 'weakincentives/sandbox';
import { checkCommand } from '../../../../../src/host/sandbox/backend/command.ts';
import { bubblewrapLine } from '../../../../../src/host/sandbox/bubblewrap/command-line.ts';
import { bubblewrapSettings } from '../../../../../src/host/sandbox/bubblewrap/options.ts';

it.each<[unknown, string]>([
  [{ network: 'some' }, 'network'],
  [{ readOnlyPaths: ['relative'] }, 'readOnlyPaths'],
  [{ readOnlyPaths: ['/opt', '/opt/../etc'] }, 'readOnlyPaths'],
  [{ readOnlyPaths: ['/proc'] }, 'readOnlyPaths'],
  [{ limits: { maxCpus: 1 } }, 'maxCpus'],
  [{ limits: { maxMemoryBytes: 0.5 } }, 'maxMemoryBytes'],
  [{ limits: { maxMemory: 1 } }, 'no option "limits.maxMemory"; the nearest is "limits.maxMemoryBytes"'],
  [{ staging: { layers: 'copy' } }, 'no option "staging.layers"; the nearest is "staging.layer"'],
  [{ limits: [] }, 'limits must be an object'],
  [{ env: 'A=b' }, 'env must be an object'],
])('refuses %j', (options, problem) => {
  // As untyped code may write it.
  const given = options as BubblewrapSandboxOptions;
  const error: unknown = (() => {
    try {
      return bubblewrapSettings(given, false);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(SandboxError.isInstance(error) && error.code).toBe('sandbox-option-invalid');
  expect(error).toHaveProperty('message', expect.stringContaining(problem));
});

it('limits processes unless it runs as root, and says why it does not', () => {
  expect(bubblewrapSettings({}, false).limits.maxProcesses).toBe(256);
  expect(bubblewrapSettings({}, true).limits.maxProcesses).toBeUndefined();
  expect(() => bubblewrapSettings({ limits: { maxProcesses: 9 } }, true)).toThrow('runs as root');
});

it('puts no value of a variable on the command line, where others could read it', () => {
  const settings = bubblewrapSettings({ env: { TOKEN: "it's a secret" } }, false);
  const command = checkCommand('bubblewrap', { command: 'true', env: { OTHER: 'another secret' } });
  const { args, inputs } = bubblewrapLine(settings, command);
  expect(args.join(' ')).not.toContain('secret');
  expect(inputs.at(-1)).toBe("export TOKEN='it'\\''s a secret'\nexport OTHER='another secret'\n");
});

it('shows files of skills read-only, where there are any', () => {
  const command = checkCommand('bubblewrap', { command: 'true' });
  const settings = bubblewrapSettings({}, false);
  const [options = ''] = bubblewrapLine(settings, command, '/tmp/staged').inputs;
  expect(options.split('\0').slice(-4)).toEqual(['--ro-bind', '/tmp/staged', '/skills', '']);
  expect(bubblewrapLine(settings, command).inputs[0]).not.toContain('/skills');
});

it('keeps commands from making user namespaces, and runs none where that fails', () => {
  const command = checkCommand('bubblewrap', { command: 'true' });
  const [options = ''] = bubblewrapLine(bubblewrapSettings({}, false), command).inputs;
  expect(options.split('\0')).toEqual(
    expect.arrayContaining(['--unshare-user', '--disable-userns', '--assert-userns-disabled']),
  );
});
