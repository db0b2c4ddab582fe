import { expectTypeOf, test } from 'vitest';
import type {
  ApprovalRequest,
  FileChange,
  Logger,
  NestedAdapter,
  OuterToolCall,
  PolicyCall,
  PolicyContext,
  Prompt,
  ReadBeforeWritePolicyOptions,
  SequentialDependencyPolicyOptions,
  ToolContext,
  ToolInvokedPayload,
  ToolPolicy,
} from 'weakincentives';
import type {
  BudgetTrackerPort,
  DeadlinePort,
  PromptPort,
  SectionPort,
  ToolPort,
} from '../../src/core/tool/index.ts';
import type { RecordedApproval, UnenforcedDecision } from '../../src/core/tool/tool-invoked.ts';

type PolicyChangesContext = Parameters<NonNullable<ToolPolicy['checkChanges']>>[2];
type PolicyResultContext = Parameters<NonNullable<ToolPolicy['onResult']>>[2];

test('a policy gets what handlers get to read', () => {
  type Shared =
    | 'prompt'
    | 'renderedPrompt'
    | 'adapter'
    | 'session'
    | 'resources'
    | 'signal'
    | 'logger'
    | 'deadline'
    | 'budgetTracker';
  expectTypeOf<Pick<PolicyContext, Shared>>().toEqualTypeOf<Pick<ToolContext, Shared>>();
  expectTypeOf<PolicyContext['prompt']>().toEqualTypeOf<PromptPort>();
  expectTypeOf<PolicyContext['adapter']>().toEqualTypeOf<NestedAdapter>();
  expectTypeOf<PolicyContext['deadline']>().toEqualTypeOf<DeadlinePort | undefined>();
  expectTypeOf<PolicyContext['budgetTracker']>().toEqualTypeOf<BudgetTrackerPort | undefined>();
  expectTypeOf<PolicyContext['logger']>().toEqualTypeOf<Logger>();
  expectTypeOf<PolicyChangesContext['innerChanges']>().toEqualTypeOf<readonly FileChange[]>();
  expectTypeOf<PolicyResultContext>().toExtend<PolicyChangesContext>();
  // @ts-expect-error: before the handler there are no changes.
  expectTypeOf<PolicyContext['innerChanges']>().toBeUndefined();
});

test('a policy says how far it reaches, and sees where a call was made', () => {
  expectTypeOf<ToolPolicy['scope']>().toEqualTypeOf<'subtree' | 'own' | undefined>();
  expectTypeOf<ReadBeforeWritePolicyOptions['scope']>().toEqualTypeOf<ToolPolicy['scope']>();
  expectTypeOf<SequentialDependencyPolicyOptions['scope']>().toEqualTypeOf<ToolPolicy['scope']>();
  // @ts-expect-error: there are two scopes.
  const wide: ToolPolicy = { name: 'wide', scope: 'everywhere' };
  expectTypeOf(wide).toExtend<ToolPolicy>();
  expectTypeOf<PolicyCall['path']>().toEqualTypeOf<readonly OuterToolCall[]>();
  expectTypeOf<ApprovalRequest['path']>().toEqualTypeOf<readonly OuterToolCall[]>();
  expectTypeOf<OuterToolCall>().toEqualTypeOf<{
    readonly callId: string;
    readonly toolName: string;
    readonly evaluation: number;
    readonly promptName: string;
  }>();
  for (const of of [] as (ApprovalRequest | RecordedApproval | UnenforcedDecision | ToolInvokedPayload)[]) {
    expectTypeOf(of.policyPrompt).toEqualTypeOf<string | undefined>();
  }
});

test('the sections of a prompt are plain readonly data, the same everywhere', () => {
  expectTypeOf<ReturnType<PromptPort['sections']>>().toEqualTypeOf<readonly SectionPort[]>();
  expectTypeOf<ReturnType<Prompt['sections']>>().toEqualTypeOf<readonly SectionPort[]>();
  expectTypeOf<SectionPort>().toEqualTypeOf<{
    readonly key: string;
    readonly title: string;
    readonly path: string;
    readonly isEnabled: boolean;
    readonly visibility: 'full' | 'summary' | 'hidden';
    readonly tools: readonly ToolPort[];
    readonly children: readonly SectionPort[];
  }>();
});
