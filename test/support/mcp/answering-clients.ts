import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { ClientOptions, ConnectedServer } from './clients.ts';

/** Options of a client that says it shows forms to people. */
export const showsForms: ClientOptions = { capabilities: { elicitation: { form: {} } } };

/** What a person in front of a client answers. */
export const answers: Readonly<Record<'yes' | 'unticked' | 'empty' | 'no' | 'dismissed', ElicitResult>> = {
  yes: { action: 'accept', content: { approve: true } },
  /** The form is sent without a tick in its box. */
  unticked: { action: 'accept', content: { approve: false } },
  empty: { action: 'accept', content: {} },
  no: { action: 'decline' },
  dismissed: { action: 'cancel' },
};

/** The texts of the questions that a client was asked. */
export interface AskedQuestions {
  readonly texts: readonly string[];
  /** Resolves when the client has been asked this often. */
  asked(count: number): Promise<void>;
}

/** Lets a client answer questions; each answer may depend on how many came before. */
export function answerQuestions(
  client: Client,
  answer: (index: number, request: ElicitRequest) => ElicitResult | Promise<ElicitResult>,
): AskedQuestions {
  const texts: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  client.setRequestHandler('elicitation/create', (request) => {
    texts.push(request.params.message);
    for (const { count, resolve } of waiting) if (texts.length >= count) resolve();
    return answer(texts.length - 1, request);
  });
  return {
    texts,
    asked: (count) =>
      texts.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
  };
}

/** What a request of the revision 2026-07-28 ended with: a question. */
export interface OpenQuestion {
  readonly state: string;
  readonly message: string;
}

/** Calls a tool as a client of the revision 2026-07-28 does that answers questions itself. */
export async function callUntilAsked(
  { client }: Pick<ConnectedServer, 'client'>,
  name: string,
  args: Record<string, unknown> = {},
): Promise<OpenQuestion> {
  const result = await client.callTool({ name, arguments: args }, { allowInputRequired: true });
  return questionIn(result);
}

export function questionIn(result: object): OpenQuestion {
  const { inputRequests, requestState } = result as {
    readonly inputRequests?: Readonly<Record<string, { readonly params?: { readonly message?: string } }>>;
    readonly requestState?: string;
  };
  const message = inputRequests?.['approve']?.params?.message;
  if (message === undefined || requestState === undefined)
    throw new Error(`The call did not end with a question: ${JSON.stringify(result)}`);
  return { state: requestState, message };
}

/** Sends the call once more, with the answer to its question. */
export function answerCall(
  { client }: Pick<ConnectedServer, 'client'>,
  name: string,
  args: Record<string, unknown>,
  { answer = answers.yes, state }: { readonly state: string; readonly answer?: ElicitResult },
): ReturnType<Client['callTool']> {
  const params = { name, arguments: args, inputResponses: { approve: answer }, requestState: state };
  return client.callTool(params, { allowInputRequired: true });
}
