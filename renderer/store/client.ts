import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '#shared/contract.ts'

/** The workbench as this window calls it. */
export type Client = ContractRouterClient<Contract>
