import { type Command, Help, type Option } from 'commander';

/** What help says of a command. */
export interface CommandTexts {
  /** What follows its name in the list of all commands. */
  readonly names: string;
  /** One line for that list. */
  readonly summary: string;
  /** How it is called, after its name; one line for each way. */
  readonly usage: readonly string[];
  readonly description: string;
  /** Its actions, where the first word is one. Default: it is not. */
  readonly actions?: readonly string[];
  /** What to do about a word too many; absent: nothing that is not plain. */
  readonly tooMany?: string;
  /** What follows the options: lines that explain, or calls that work as they are printed. */
  readonly after?: readonly string[];
}

/** Columns of the names of options; a longer one has a line to itself. */
const optionColumns = 26;
/** Columns of the names of commands. */
export const commandColumns = 19;
const minColumns = 40;
/** Below it what an option does is under its name, and not beside it. */
const narrowColumns = 60;
const maxColumns = 100;

/** The exit codes, for the end of a page. */
export const exitCodeText =
  'Exit codes: 0 done, 1 failed, 2 bad input, 3 others changed the same files,\n4 waits for answers, 130 interrupted.';

/** Heading of options that are shown without one. */
export const noHeading = ' ';

/** Sets how the help of a command looks, and that it writes and ends nothing. */
export function layOut(command: Command, { summary, usage, description, after = [] }: CommandTexts): void {
  const [first = '', ...others] = usage;
  const name = `wink ${command.name()}`;
  command
    .summary(summary)
    .usage([first, ...others.map((line) => `\n       ${name} ${line}`)].join(''))
    .description(description)
    .allowExcessArguments(false)
    .exitOverride()
    // Suggestions are those of all names.
    .showSuggestionAfterError(false)
    .configureHelp(layoutWith(after));
}

/** The width of help for an output of so many columns; undefined: it is unknown, as for a pipe. */
export function helpColumns(columns = 80): number {
  return Math.min(maxColumns, Math.max(minColumns, columns));
}

type Layout = Partial<Help> & ThisType<Help>;

/**
 * The layout with paragraphs at the end. One that is indented stays as it is: a call that can be copied.
 */
export function layoutWith(after: readonly string[]): Layout {
  return {
    ...layout,
    formatHelp(command, helper) {
      const width = helper.helpWidth ?? maxColumns;
      const paragraphs = after.map((text) => (text.startsWith(' ') ? text : helper.boxWrap(text, width)));
      const text = Help.prototype.formatHelp.call(this, command, helper);
      return after.length === 0 ? text : `${text}\n${paragraphs.join('\n')}\n`;
    },
  };
}

/** As the documentation has it: names in a column of one width, without brackets around their values. */
const layout: Layout = {
  minWidthToWrap: 0,
  optionTerm: ({ flags, argChoices, optional }: Option) =>
    optional && argChoices !== undefined
      ? flags.replace(/ \[.*\]/, `[=${argChoices.join('|')}]`)
      : // Its value may be left out in "wink run", so that it is written so everywhere.
        flags.replace(/^--apply </, '--apply=').replace(/[<>]/g, ''),
  visibleOptions(command) {
    const shown = Help.prototype.visibleOptions.call(this, command);
    const isNamedBy = ({ flags }: Option, { long }: Option): boolean =>
      flags.split(', ').includes(long ?? '');
    return shown.filter((option) => !shown.some((other) => other !== option && isNamedBy(other, option)));
  },
  optionDescription: ({ description }: Option) => description,
  padWidth: () => optionColumns - 2,
  formatItem(term, width, description, helper) {
    const columns = helper.helpWidth ?? maxColumns;
    const isNarrow = columns < narrowColumns;
    const indent = ' '.repeat(isNarrow ? 4 : width + 4);
    const text = helper.boxWrap(description, columns - indent.length).replaceAll('\n', `\n${indent}`);
    if (isNarrow || helper.displayWidth(term) > width) return `  ${term}\n${indent}${text}`;
    return `  ${term.padEnd(width + 2)}${text}`;
  },
  formatItemList(heading, items, helper) {
    if (items.length === 0) return [];
    return [...(heading === noHeading ? [] : [helper.styleTitle(heading)]), ...items, ''];
  },
};
