import { styleText } from 'node:util';
import type { CliEnvironment, OutputStream } from './environment.ts';

/** Meanings that text can have for the eye. */
export type TextTone = 'heading' | 'good' | 'bad' | 'warning' | 'faint' | 'added' | 'removed' | 'place';

/** Gives text a tone; leaves it as it is where colours are not wanted. */
export type TextStyle = (tone: TextTone, text: string) => string;

const formats = {
  heading: 'bold',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  faint: 'dim',
  added: 'green',
  removed: 'red',
  place: 'cyan',
} as const satisfies Readonly<Record<TextTone, Parameters<typeof styleText>[0]>>;

/**
 * The style for one output. `NO_COLOR` with any text turns colours off, `FORCE_COLOR` turns them on (`0` off); otherwise
 * a terminal that is not dumb gets them.
 */
export function createTextStyle(stream: OutputStream, variables: CliEnvironment['variables']): TextStyle {
  // Not left to styleText: before Node 20.18 it looks neither at the stream nor at the variables.
  if (!wantsColor(stream, variables)) return (_tone, text) => text;
  return (tone, text) => (text === '' ? text : styleText(formats[tone], text, { validateStream: false }));
}

function wantsColor(stream: OutputStream, variables: CliEnvironment['variables']): boolean {
  if ((variables['NO_COLOR'] ?? '') !== '') return false;
  const forced = variables['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return stream.isTerminal && variables['TERM'] !== 'dumb';
}
