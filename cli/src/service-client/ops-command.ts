import { Command } from 'commander';
import { type CommandResult, printNote, printResult } from '../output/print.ts';
import type { Connect, OpsClient } from './ops-client.ts';

interface RequestResult extends CommandResult {
  /** Printed to standard error. */
  readonly note?: string | undefined;
}

export class OpsCommand extends Command {
  readonly #connect: Connect;

  constructor(connect: Connect, name?: string) {
    super(name);
    this.#connect = connect;
  }

  override createCommand(name?: string): OpsCommand {
    return new OpsCommand(this.#connect, name);
  }

  /** After `ops`, `work` receives what Commander passes to an action: arguments, options and the command. */
  request(work: (ops: OpsClient, ...given: never[]) => Promise<RequestResult>): this {
    return this.action(async (...given) => {
      const { ops } = await this.#connect();
      const result = await work(ops, ...(given as never[]));
      printResult(this, result);
      if (result.note !== undefined) printNote(result.note);
    });
  }
}
