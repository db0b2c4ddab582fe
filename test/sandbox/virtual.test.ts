import { type SandboxBackend, type SandboxLimits, virtualSandbox } from 'weakincentives/sandbox';
import { escapeSet } from './contract/escape-set.ts';
import { sandboxContract } from './contract/sandbox-contract.ts';
import type { SandboxSubject } from './contract/sandbox-subject.ts';
import { shellContract } from './contract/shell-contract.ts';

const withLimits = (limits: SandboxLimits | undefined) => (limits === undefined ? {} : { limits });

const virtual: SandboxSubject = {
  name: 'virtual',
  open: ({ limits } = {}): SandboxBackend => virtualSandbox(withLimits(limits)),
  isInterpreter: true,
  skip: undefined,
};

sandboxContract(virtual);
shellContract(virtual);
escapeSet(virtual);
