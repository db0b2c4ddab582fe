import { styleText } from 'node:util';
import type { CliEnvironment, OutputStream } from './environment.ts';

/** Meanings of styled text. */
export type TextTone = 'heading' | 'good' | 'bad' | 'warning' | 'faint' | 'added' | 'removed' | 'place';

/** Styles text by its meaning; returns it unchanged where colors are off. */
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
 * The style for one output. `NO_COLOR` with any value turns colors off, `FORCE_COLOR` turns them on (`0`: off); otherwise
 * they are on for a terminal that is not dumb.
 */
export function createTextStyle(stream: OutputStream, variables: CliEnvironment['variables']): TextStyle {
  // Not left to styleText: before Node 20.18 it checks neither the stream nor the variables.
  if (!wantsColor(stream, variables)) return (_tone, text) => text;
  return (tone, text) => (text === '' ? text : styleText(formats[tone], text, { validateStream: false }));
}

function wantsColor(stream: OutputStream, variables: CliEnvironment['variables']): boolean {
  if ((variables['NO_COLOR'] ?? '') !== '') return false;
  const forced = variables['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return stream.isTerminal && variables['TERM'] !== 'dumb';
}
