import { Command, Option, type OutputConfiguration } from 'commander';
import type { RunRequest } from '../options/run-task.ts';
import { type ApprovalsRequest, approvalsDefinition } from './approvals.ts';
import { type BudgetsRequest, budgetsDefinition } from './budgets.ts';
import { type CompleteRequest, completeDefinition } from './complete.ts';
import type { CommandDefinition } from './define-command.ts';
import { type DoctorRequest, doctorDefinition } from './doctor.ts';
import { type ForkRequest, forkDefinition } from './fork.ts';
import { commandColumns, exitCodeText, layoutWith } from './help-layout.ts';
import { type InitRequest, initDefinition } from './init.ts';
import { type JournalRequest, journalDefinition } from './journal.ts';
import { type OnceRequest, onceDefinition } from './once.ts';
import { type PromptRequest, promptDefinition } from './prompt.ts';
import { type QueryRequest, queryDefinition } from './query.ts';
import { type RecordsRequest, recordsDefinition } from './records.ts';
import { type ReplayRequest, replayDefinition } from './replay.ts';
import { type ResumeRequest, resumeDefinition } from './resume.ts';
import { type RewindRequest, rewindDefinition } from './rewind.ts';
import { runDefinition } from './run.ts';
import { type RunsRequest, runsDefinition } from './runs.ts';
import { type SayRequest, sayDefinition } from './say.ts';
import { type ServeRequest, serveDefinition } from './serve.ts';
import { type SubmitRequest, submitDefinition } from './submit.ts';
import { type ViewRequest, viewDefinition } from './view.ts';
import { type WorkerRequest, workerDefinition } from './worker.ts';

/** A request that one of the commands answers. */
export type AnyCommandRequest =
  | InitRequest
  | DoctorRequest
  | RunRequest
  | ViewRequest
  | QueryRequest
  | ReplayRequest
  | RecordsRequest
  | RunsRequest
  | ResumeRequest
  | SayRequest
  | ApprovalsRequest
  | RewindRequest
  | ForkRequest
  | WorkerRequest
  | SubmitRequest
  | OnceRequest
  | BudgetsRequest
  | JournalRequest
  | ServeRequest
  | PromptRequest
  | CompleteRequest;

/** The commands by what they are for, in the order of help. */
const groups: readonly {
  readonly heading: string;
  readonly commands: readonly CommandDefinition<AnyCommandRequest>[];
}[] = [
  { heading: 'Start:', commands: [initDefinition, doctorDefinition, runDefinition] },
  {
    heading: 'Look at a run:',
    commands: [viewDefinition, queryDefinition, replayDefinition, recordsDefinition],
  },
  {
    heading: 'Runs that outlive their process:',
    commands: [
      runsDefinition,
      resumeDefinition,
      sayDefinition,
      approvalsDefinition,
      rewindDefinition,
      forkDefinition,
    ],
  },
  {
    heading: 'Several machines:',
    commands: [workerDefinition, submitDefinition, onceDefinition, budgetsDefinition, journalDefinition],
  },
  { heading: 'Use it elsewhere:', commands: [serveDefinition, promptDefinition, completeDefinition] },
];

/** The definitions of all commands by their names. */
export const definitions: ReadonlyMap<string, CommandDefinition<AnyCommandRequest>> = new Map(
  groups.flatMap(({ commands }) => commands.map((definition) => [definition.name, definition])),
);

const description =
  'Runs agents unattended. A tool call that fails leaves nothing behind; a run can be resumed, rewound, replayed and looked at.';

const after = [
  'wink COMMAND --help has the options of one command.',
  'AGENT is a file that exports defineAgent(). RUN is a name, its beginning, a record file, or "last".',
  exitCodeText,
];

/** Makes the program with all commands. `take` gets what a command line asks for. */
export function makeProgram(
  take: (request: AnyCommandRequest) => void,
  output: OutputConfiguration,
): Command {
  const program = new Command('wink')
    .usage('COMMAND [options]')
    .description(description)
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help').hideHelp())
    .configureOutput(output)
    .configureHelp({
      ...layoutWith(after),
      padWidth: () => commandColumns,
      subcommandTerm: (command) => definitions.get(command.name())?.term ?? command.name(),
    })
    .exitOverride();
  for (const { heading, commands } of groups) {
    program.commandsGroup(heading);
    for (const definition of commands) {
      program.addCommand(definition.make(take).configureOutput(output));
    }
  }
  return program;
}
