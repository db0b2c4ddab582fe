import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../../../src/cli/commands/command-tree.ts';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { runCli } from '../../../../src/cli/run-cli.ts';
import { fakeEnvironment } from '../support.ts';

const { commands } = makeProgram(() => undefined, {});

interface Listed {
  readonly command: Command;
  readonly option: Option;
  readonly long: string;
}

const options: readonly Listed[] = commands.flatMap((command) =>
  command.options.flatMap((option) =>
    option.hidden || option.long === undefined || option.long === null
      ? []
      : [{ command, option, long: option.long }],
  ),
);

const titled = options.map((each) => [`wink ${each.command.name()} ${each.long}`, each] as const);

/** What is wrong with a line; one sentence, or two when the second one is a remedy or a question. */
function refusal(argv: readonly string[]): string {
  const request = readArguments(argv);
  if (request.kind !== 'usage-error') throw new Error(`${argv.join(' ')}: ${JSON.stringify(request)}`);
  const { message } = request;
  expect(message).toMatch(/^\S[^\n]*[.?]$/);
  expect(message).not.toMatch(/\bat .*:\d+:\d+|error:|undefined|\[object/i);
  return message;
}

describe('every command', () => {
  it.each(commands.map((command) => command.name()))(
    '%s prints the version, its help, and refuses what is wrong',
    (name) => {
      for (const word of ['-V', '--version'])
        expect(readArguments([name, word])).toEqual({ kind: 'version' });
      expect(readArguments([name, '--help'])).toMatchObject({ kind: 'help' });
      expect(refusal([name, '--no-such-option-at-all'])).toBe('unknown option "--no-such-option-at-all".');
      expect(refusal([name, '--verbose=1'])).toBe('option "--verbose" takes no value, and got "1".');
      expect(refusal([name, '--hepl'])).toContain('unknown option "--hepl".');
    },
  );

  it('does not show the version among its options', () => {
    for (const command of commands)
      expect(readArguments([command.name(), '-h'])).not.toHaveProperty(
        'text',
        expect.stringContaining('--version'),
      );
  });
});

describe('every option', () => {
  it.each(titled)('%s is suggested for one that is like it', (_title, { command, long }) => {
    const misspelled = `${long.slice(0, -1)}q${long.slice(-1)}`;
    expect(refusal([command.name(), misspelled])).toMatch(
      /^unknown option "--\S+"\. Did you mean "--\S+"\?$/,
    );
  });

  it.each(titled.filter(([, { option }]) => option.required))(
    '%s needs its value',
    (_title, { command, long }) => {
      expect(refusal([command.name(), long])).toContain(`option "${long}" needs a value: ${long} `);
      expect(refusal([command.name(), long, '--verbose'])).toContain(`option "${long}" needs a value`);
    },
  );

  it.each(titled.filter(([, { option }]) => !option.required && !option.optional))(
    '%s takes no value',
    (_title, { command, long }) => {
      expect(refusal([command.name(), `${long}=1`])).toBe(`option "${long}" takes no value, and got "1".`);
    },
  );
});

describe('a line that is wrong', () => {
  it.each<[line: string, message: string]>([
    ['rum', 'unknown command "rum". Did you mean "run"?'],
    ['agent.ts', 'unknown command "agent.ts". Did you mean "wink run agent.ts"?'],
    ['--apply run', '"--apply" comes before the command; write the command first: wink run.'],
    ['help rum', 'unknown command "rum". Did you mean "run"?'],
    ['run', 'no agent given'],
    ['run a.ts b c', 'wink run takes AGENT, DIR: 2 at most, not 3.'],
    ['run a.ts --aply', 'unknown option "--aply". Did you mean "--apply"?'],
    ['run a.ts --apply each', '"each" is read as a folder.'],
    ['run a.ts --apply=now', '--apply is "now"; it must be end or each.'],
    ['run a.ts --model gpt-5', 'Did you mean openai:gpt-5?'],
    ['run a.ts --model claude-sonnet-4-5', 'Did you mean anthropic:claude-sonnet-4-5?'],
    ['run a.ts --model gemini-2.5-pro', 'Did you mean ai-sdk:@ai-sdk/google:gemini-2.5-pro?'],
    ['run a.ts --model openai/gpt-5', 'Did you mean openai:gpt-5?'],
    ['run a.ts --model opneai:gpt-5', 'Did you mean openai:gpt-5?'],
    ['run a.ts --model claude-agnet', 'Did you mean claude-agent?'],
    ['run a.ts --model openai:', '--model is "openai:"; it must be'],
    ['run a.ts --effort hihg', 'Did you mean "high"?'],
    ['run a.ts --max-turns 0', '--max-turns is "0"'],
    ['run a.ts --max-cost free', '--max-cost is "free"'],
    ['run a.ts --prices 1', '--prices is "1"'],
    ['run a.ts --deadline 10', '--deadline is "10"'],
    ['run a.ts --sandbox docker', '--sandbox is "docker"'],
    ['run a.ts --params {', '--params is not JSON'],
    ['run a.ts --params []', '--params must be a JSON object'],
    ['run a.ts --base-url x', '--base-url is "x"'],
    ['run a.ts --run-id x', '--run-id requires --durable or --journal.'],
    [
      'run a.ts --durable --run-id last',
      '--run-id is "last", which means the newest run; give it another name.',
    ],
    ['run a.ts --durable --run-id -x', 'option "--run-id" needs a value'],
    ['run a.ts --durable --expires 1', '--expires is "1"'],
    ['run a.ts --deltas', '--deltas requires --json or --log.'],
    ['run --record a.ts', '--record took "a.ts" as the name of its file'],
    ['resume', 'no run given: wink resume RUN'],
    ['resume one two', 'wink resume takes RUN: 1 at most, not 2.'],
    ['resume one --files keep', '--files is "keep"; it must be check, restore or as-is.'],
    ['fork one', 'say where the fork begins'],
    ['rewind one', 'say how far to go back'],
    ['rewind one --to 1 --before 2', 'choose one.'],
    [
      'runs lst',
      'unknown action "lst" of wink runs; it has list, prune, stop, settle, export. Did you mean "list"?',
    ],
    ['runs list one', 'wink runs lists all runs'],
    ['runs --status finised', 'Did you mean "finished"?'],
    ['runs --limit 0', '--limit is "0"'],
    ['runs prune', 'say which runs to remove'],
    ['runs prune one --keep 2', 'not both.'],
    ['runs prune --limit 3', '--limit is not an option of wink runs prune.'],
    ['runs stop', 'name one run'],
    ['runs stop one --by me', 'stopped --for-good.'],
    ['runs export one', 'say where the record is written'],
    ['approvals anwser', 'Did you mean "answer"?'],
    ['approvals answer', 'name a run'],
    ['approvals answer one', 'say what the answer is: --yes or --no.'],
    ['approvals answer one --yes --no', 'say what the answer is: --yes or --no.'],
    ['approvals show one --resume', '--resume is not an option of wink approvals show.'],
    ['approvals list one', 'lists all suspended runs'],
    ['records prune', 'say which records to remove'],
    ['records prune --max-size 500', '--max-size is "500"; it must be a size such as 500mb or 2gb.'],
    ['records prune one --keep 1', 'not both.'],
    ['records list one', 'wink records lists all records'],
    ['records --keep 1', '--keep is not an option of wink records list.'],
    ['complete', 'name a shell'],
    ['complete csh', 'the shell is "csh"; it must be bash, zsh or fish.'],
    ['view', 'no record given'],
    ['view one --out a --follow', 'choose one.'],
    ['query one SELECT 1', 'Put the SQL in quotes.'],
    ['query one --timeout 0', '--timeout is "0s"'],
    ['replay one --on-drift go', '--on-drift is "go"'],
    ['replay one --model openai:x', '--model is for --on-drift continue'],
    ['replay one --tools maybe', '--tools "maybe" is not understood'],
    ['serve a.ts b', 'The folder is --workspace DIR.'],
    ['serve --port 80', '--port requires --http.'],
    ['serve --http --port 99999', '--port is "99999"'],
    ['serve a.ts --policy p.ts', '--policy adds rules to a folder'],
    ['prompt', 'no action given'],
    ['prompt shwo a.ts', 'Did you mean "show"?'],
    ['prompt show', 'no agent given'],
    ['prompt show a.ts --refresh', '--refresh is for wink prompt seed.'],
  ])('"wink %s" is refused in one line, and the exit code is 2', async (line, message) => {
    const argv = line.split(' ');
    expect(refusal(argv)).toContain(message);
    const environment = fakeEnvironment();
    expect(await runCli(argv, environment)).toBe(2);
    expect(environment.stdout.text()).toBe('');
    expect(environment.stderr.text()).toMatch(/^wink: [^\n]+ See wink (?:help|\S+ --help)\.\n$/);
  });
});
