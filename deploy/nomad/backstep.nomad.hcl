# Servers and a front door on Nomad: the same program as under systemd and Agones, configured by flags. Without
# AGONES_SDK_HTTP_PORT a server uses no sidecar. The front door has a list of servers from Nomad's service registry.
# Run it with: nomad job run backstep.nomad.hcl
job "backstep" {
  datacenters = ["*"]

  group "server" {
    count = 2

    network {
      port "http" {}
      port "quic" {}
    }

    service {
      name     = "backstep"
      port     = "http"
      provider = "nomad"
      check {
        type     = "http"
        path     = "/readyz"
        interval = "5s"
        timeout  = "2s"
      }
    }

    task "server" {
      driver       = "exec"
      kill_signal  = "SIGTERM"
      kill_timeout = "11m" # longer than --drain; the client's max_kill_timeout must allow it
      config {
        command = "/usr/local/bin/backstep"
        args = [
          "serve", "--addr=:${NOMAD_PORT_http}", "--quic=:${NOMAD_PORT_quic}", "--public=${NOMAD_IP_quic}",
          "--matches=4", "--players=16", "--bots=0", "--drain=10m", "--token-key=${NOMAD_SECRETS_DIR}/token.pub",
        ]
      }
      template {
        data        = "{{ with nomadVar \"nomad/jobs/backstep\" }}{{ .token_pub }}{{ end }}\n"
        destination = "${NOMAD_SECRETS_DIR}/token.pub"
      }
      resources {
        cpu    = 2000
        memory = 256
      }
    }
  }

  group "front" {
    network {
      port "http" { static = 8088 }
    }

    task "front" {
      driver = "exec"
      config {
        command = "/bin/sh"
        args    = ["-c", "exec /usr/local/bin/backstep front --seats=16 --token-key=${NOMAD_SECRETS_DIR}/token $(cat local/servers)"]
      }
      template { # a change of the list restarts the front door; players in the queue ask again
        data        = "{{ range nomadService \"backstep\" }}--server=http://{{ .Address }}:{{ .Port }} {{ end }}\n"
        destination = "local/servers"
        splay       = "5s"
      }
      template {
        data        = "{{ with nomadVar \"nomad/jobs/backstep\" }}{{ .token }}{{ end }}\n"
        destination = "${NOMAD_SECRETS_DIR}/token"
      }
    }
  }
}
