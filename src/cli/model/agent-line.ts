import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { splitWords } from '../process/split-words.ts';
import { substituteVariables } from '../process/substitute-variables.ts';

/** How an agent is started: without a shell, with these variables beside the few that every child gets. */
export interface AgentLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

/**
 * Reads the command of `--model acp:COMMAND`: words that set variables come first, as in `KEY=${KEY} opencode acp`. `${NAME}` is the value of a variable of this
 * process.
 *
 * @throws {UsageError} for a line without a program, an open quote, and a variable that is not set.
 */
export function readAgentLine(
  line: string,
  variables: Readonly<Record<string, string | undefined>>,
): AgentLine {
  const refuse = (why: string): UsageError => new UsageError(`--model is "acp:${printable(line)}": ${why}.`);
  const words = splitWords(line);
  if (words === undefined) throw refuse('a quote is not closed');
  const values = words.map((word) => {
    const value = substituteVariables(word, variables);
    if (typeof value === 'string') return value;
    throw refuse(`the variable ${value.missing} is not set`);
  });
  const start = values.findIndex((value, index) => !assignment.test(words[index] ?? value));
  const [command, ...args] = start < 0 ? [] : values.slice(start);
  if (command === undefined || command === '') {
    throw refuse('it must name a program that speaks the Agent Client Protocol, such as acp:"opencode acp"');
  }
  const env = Object.fromEntries(
    values.slice(0, start).flatMap((value) => {
      const [, name = '', text = ''] = assignment.exec(value) ?? [];
      return name === '' ? [] : [[name, text]];
    }),
  );
  return { command, args, env };
}
