import { expect } from 'chai';
import { parse } from 'yaml';
import { compose, container, monitors, services } from './compose.fixture.ts';
import { files, read } from './tree.fixture.ts';

describe('docker-compose.yml: monitoring', () => {
  it('starts only with its profile', () => {
    for (const name of monitors) expect(container(name).profiles).to.deep.equal(['monitoring']);
    for (const name of Object.keys(compose.services).filter((one) => !(monitors as readonly string[]).includes(one)))
      expect(container(name).profiles, name).to.equal(undefined);
  });

  it('scrapes every container of every service with the operator token', () => {
    const { scrape_configs: jobs, rule_files: rulesFrom } = parse(read('deploy/prometheus/prometheus.yml')) as {
      rule_files: string[];
      scrape_configs: {
        job_name: string;
        authorization: { credentials_file: string };
        honor_labels: boolean;
        dns_sd_configs: { names: string[]; type: string; port: number }[];
        relabel_configs: object[];
      }[];
    };
    const ports = { 'command-api': 8081, worker: 8083, projectors: 8082, 'query-api': 8080 };
    expect(jobs).to.have.length(1);
    expect(jobs[0]!.dns_sd_configs).to.have.deep.members(
      services.map((service) => ({ names: [service], type: 'A', port: ports[service] })),
    );
    expect(jobs[0]!.relabel_configs).to.deep.equal([{ source_labels: ['__meta_dns_name'], target_label: 'service' }]);
    expect(jobs[0]).to.include({ job_name: 'popsvc', honor_labels: true });
    expect(jobs[0]!.authorization.credentials_file).to.equal('/run/secrets/operator_token');
    expect(container('prometheus').secrets).to.deep.equal(['operator_token']);
    const mounted = (container('prometheus').volumes ?? []).map((volume) => volume.split(':')[1]);
    expect(mounted).to.include.members(rulesFrom);
    const reached = new Set(container('prometheus').networks);
    for (const service of services)
      expect(
        container(service).networks?.some((network) => reached.has(network)),
        service,
      ).to.equal(true);
  });

  it('configures Grafana with the dashboards and the address of Prometheus', () => {
    const mounts = (container('grafana').volumes ?? []).filter((volume) => volume.startsWith('./'));
    for (const mount of mounts) {
      const folder = mount.split(':')[0]!.slice(2);
      expect(
        files.some((path) => path.startsWith(`${folder}/`)),
        folder,
      ).to.equal(true);
    }
    const { datasources } = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml')) as {
      datasources: { type: string; url: string }[];
    };
    expect(datasources).to.have.length(1);
    expect(datasources[0]).to.include({ type: 'prometheus', url: 'http://prometheus:9090' });
    const { providers } = parse(read('deploy/grafana/provisioning/dashboards/popsvc.yml')) as {
      providers: { options: { path: string } }[];
    };
    expect(mounts.map((mount) => mount.split(':')[1])).to.include(providers[0]?.options.path);
  });
});
