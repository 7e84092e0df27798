import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { Failure } from '../program/failure.ts';
import { print } from '../program/print.ts';
import type { Service } from '../service-client/find-service.ts';
import { askDoctor } from './ask-doctor.ts';
import { doctorText } from './doctor-text.ts';
import { diagnosis, type Finding } from './finding.ts';
import { reachEngine, reachService } from './reach.ts';

/** The services as vendors, partners and this machine reach them, where their addresses are known. */
const servicesOf = (service: Service): readonly (() => Promise<Finding>)[] =>
  (
    [
      ['query-api from here', 'POPSVC_QUERY_URL', () => service.queryUrl],
      ['command-api from here', 'POPSVC_INGEST_URL', () => service.ingestUrl],
    ] as const
  ).flatMap(([name, variable, address]) => {
    try {
      const url = address();
      return [() => reachService(name, url, variable)];
    } catch {
      return [];
    }
  });

export const doctorCommands = (program: Command, connect: Connect): void => {
  program
    .command('doctor')
    .description('what is wrong with the service, and what to do about it')
    .action(async (_: object, command: Command) => {
      const { service } = await connect();
      const { isThere, findings } = await askDoctor(service);
      const engines = isThere ? [] : service.engines;
      const around = await Promise.all([
        ...servicesOf(service).map((reach) => reach()),
        ...engines.map(({ name, address }) => reachEngine(name, address)),
      ]);
      const value = diagnosis([...findings, ...around]);
      print(command, { value, text: doctorText(value) });
      const failed = value.findings.filter(({ outcome }) => outcome === 'failed').length;
      if (failed > 0) throw new Failure(`${failed} of ${value.findings.length} checks failed.`);
    });
};
